import { type ContentPart, type Part, UnsupportedOptionError } from '../core/index.ts';

const imageTypes = ['image/gif', 'image/jpeg', 'image/png', 'image/webp'] as const;

/** The kinds of images that models take. */
export type ImageType = (typeof imageTypes)[number];

/**
 * The bytes of an image, base64, for the APIs that take images and no other media.
 * @throws UnsupportedOptionError for anything else, named.
 */
export function imageIn(part: Part | ContentPart): { readonly mediaType: ImageType; readonly data: string } {
  if (part.type !== 'image' || part.data === undefined) {
    throw new UnsupportedOptionError(`This model takes no ${part.type} here, only text and the bytes of images.`);
  }
  const mediaType = imageTypes.find((type) => type === part.mediaType);
  if (mediaType !== undefined) return { mediaType, data: part.data };
  throw new UnsupportedOptionError(`This model takes no ${part.mediaType}, only ${imageTypes.join(', ')}.`);
}
