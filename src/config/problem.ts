/** Why a configuration cannot be used. `where` names the variable, the mode or the part, never a value: values may be secret. */
export interface ConfigProblem {
  readonly code:
    | 'variable_invalid'
    | 'variable_missing'
    | 'mode_malformed'
    | 'mode_not_configured'
    | 'unknown_tool'
    | 'policy_malformed'
    | 'unsafe_authorization_configuration';
  readonly where: string;
  /** What to do, as a sentence. */
  readonly message: string;
}

/** A value, or every problem that stands in its way. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };
