import { sats } from '../../kernel/tool.ts'

/** What the calls of this service cost, in one place. */
export const prices = {
  prove: sats('100'),
  witness: sats('100'),
  ledgerSubmit: sats('150'),
  review: sats('200'),
  validate: sats('300'),
} as const
