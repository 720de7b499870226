import { VisibleText } from './visible-text.tsx';

/** A call's input: each field with its name, never cut without saying so. */
export function InputFields({
  fields,
  label,
}: {
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly label: string;
}) {
  return (
    <div class="fields" tabIndex={0} role="group" aria-label={label}>
      <dl>
        {fields.map(([name, value]) => (
          <div key={name}>
            <dt>
              <VisibleText text={name === '' ? 'input' : name} />
            </dt>
            <dd>
              <VisibleText text={value} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
