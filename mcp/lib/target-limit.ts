import { ToolError } from '../kernel/error.ts'

const reason = 'target_limit'

/** The refusal to ask a target that was asked often enough: 429 for the caller, and no word about the target. */
export const targetLimit = (target: string, perMinute: number, seconds: number): ToolError =>
  new ToolError(
    'too_many_requests',
    `${target} is asked ${perMinute} times a minute at most, for all callers together; it was not asked.`,
    { reason, retryAfter: seconds, hint: `Retry in ${seconds} s.` },
  )

/** True when a target was not asked for its own sake: whoever tells of the target must not take this for its failure. */
export const isTargetLimit = (error: unknown): boolean =>
  error instanceof ToolError && error.extra.reason === reason
