import type { ToolMiddleware } from '../core/index.ts';
import { guard } from './guard.ts';
import { policyOf } from './rules/index.ts';

/** The guard without a single rule: asks for leave before each call of a tool that is not read-only (MW-15, MW-16). */
export function approveWrites(): ToolMiddleware {
  return guard({ policy: policyOf([]), mode: '' });
}
