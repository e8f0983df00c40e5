import { expect, test } from 'vitest'
import { toIsoUtc } from '../../mcp/lib/time.ts'

test.each([
  ['2024-03-01', '2024-03-01T00:00:00.000Z'],
  ['2024-03-01T10:00', '2024-03-01T10:00:00.000Z'],
  ['2024-03-01 10:00:05', '2024-03-01T10:00:05.000Z'],
  ['2024-03-01T10:00:05.250Z', '2024-03-01T10:00:05.250Z'],
  ['2024-03-01T10:00:00+02:00', '2024-03-01T08:00:00.000Z'],
  ['2024-03-01T10:00:00-0500', '2024-03-01T15:00:00.000Z'],
  ['2024-02-30', null],
  ['2024-02-30T10:00Z', null],
  ['2024-13-01', null],
  ['2024-03', null],
  ['01/03/2024', null],
  ['2024-03-01T99:00', null],
  ['', null],
  [null, null],
])('%s is %s', (raw, iso) => expect(toIsoUtc(raw)).toBe(iso))

test('a time without a zone is the same moment on every machine', () => {
  const zone = process.env.TZ
  try {
    process.env.TZ = 'Asia/Tokyo'
    expect(toIsoUtc('2024-03-01T10:00')).toBe('2024-03-01T10:00:00.000Z')
  } finally {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  }
})
