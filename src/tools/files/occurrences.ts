/** Nobody needs more places than this. */
const most = 1000;

/**
 * Every place from `from` on where `needle` stands in `haystack`, those that overlap too, at most 1000; none for an empty needle. The time is linear in both,
 * whatever they hold (Knuth, Morris and Pratt), so that no text keeps the object busy.
 */
export function occurrences(haystack: ArrayLike<string>, needle: ArrayLike<string>, from = 0): readonly number[] {
  const places: number[] = [];
  if (needle.length === 0) return places;
  const back = borders(needle);
  for (let at = from, same = 0; at < haystack.length && places.length < most; at += 1) {
    while (same > 0 && (same === needle.length || haystack[at] !== needle[same])) same = back[same - 1] ?? 0;
    if (haystack[at] === needle[same]) same += 1;
    if (same === needle.length) places.push(at - same + 1);
  }
  return places;
}

/** For each beginning of the needle, how long a beginning of the needle it ends with, itself aside. */
function borders(needle: ArrayLike<string>): Uint32Array {
  const back = new Uint32Array(needle.length);
  for (let at = 1, same = 0; at < needle.length; at += 1) {
    while (same > 0 && needle[at] !== needle[same]) same = back[same - 1] ?? 0;
    if (needle[at] === needle[same]) same += 1;
    back[at] = same;
  }
  return back;
}
