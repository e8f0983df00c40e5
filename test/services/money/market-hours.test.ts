import { expect, test } from 'vitest'
import { readMarketHours } from '../../../mcp/services/money/vault/market-hours.ts'

const cases: [string, string, boolean, string][] = [
  ['on a Friday morning', '2026-11-20T15:00:00Z', true, '2026-11-20T14:30:00Z'],
  ['at the first minute', '2026-11-20T14:30:00Z', true, '2026-11-20T14:30:00Z'],
  ['a minute before it', '2026-11-20T14:29:59Z', false, '2026-11-19T21:00:00Z'],
  ['at the close', '2026-11-20T21:00:00Z', false, '2026-11-20T21:00:00Z'],
  ['on a Sunday', '2026-11-22T20:00:00Z', false, '2026-11-20T21:00:00Z'],
  ['in summer time', '2026-07-06T13:30:00Z', true, '2026-07-06T13:30:00Z'],
  ['on the Monday after clocks change', '2026-11-02T14:00:00Z', false, '2026-10-30T20:00:00Z'],
  ['on New Year', '2026-01-01T16:00:00Z', false, '2025-12-31T21:00:00Z'],
  ['on Martin Luther King Day', '2026-01-19T16:00:00Z', false, '2026-01-16T21:00:00Z'],
  ["on Presidents' Day", '2026-02-16T16:00:00Z', false, '2026-02-13T21:00:00Z'],
  ['on Good Friday', '2026-04-03T16:00:00Z', false, '2026-04-02T20:00:00Z'],
  ['on Good Friday of another year', '2027-03-26T16:00:00Z', false, '2027-03-25T20:00:00Z'],
  ['on Memorial Day', '2026-05-25T16:00:00Z', false, '2026-05-22T20:00:00Z'],
  ['on Juneteenth', '2026-06-19T16:00:00Z', false, '2026-06-18T20:00:00Z'],
  ['when Independence Day is kept on Friday', '2026-07-03T16:00:00Z', false, '2026-07-02T20:00:00Z'],
  ['when it is kept on Monday', '2027-07-05T16:00:00Z', false, '2027-07-02T20:00:00Z'],
  ['on Labor Day', '2026-09-07T16:00:00Z', false, '2026-09-04T20:00:00Z'],
  ['on Thanksgiving', '2026-11-26T16:00:00Z', false, '2026-11-25T21:00:00Z'],
  ['on the short day after it', '2026-11-27T18:00:00Z', false, '2026-11-27T18:00:00Z'],
  ['before that day ends', '2026-11-27T17:59:00Z', true, '2026-11-27T14:30:00Z'],
  ['on the short day before Christmas', '2026-12-24T18:30:00Z', false, '2026-12-24T18:00:00Z'],
  ['when Christmas is kept on Friday', '2027-12-24T16:00:00Z', false, '2027-12-23T21:00:00Z'],
  ['on the last day of a year before a Saturday', '2027-12-31T16:00:00Z', true, '2027-12-31T14:30:00Z'],
]
test.each(cases)('%s the exchange is as it was', (_, at, open, since) => {
  expect(readMarketHours(new Date(at))).toEqual({ open, since: new Date(since) })
})
