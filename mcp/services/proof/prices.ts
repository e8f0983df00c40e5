import { sats } from '../../kernel/tool.ts'

/** What the calls of this service cost, in one place. */
export const prices = {
  review: sats('200'),
  validate: sats('300'),
} as const
