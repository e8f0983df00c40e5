import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { BadTimestamp, formatOts, listAttestations, parseOts } from '../../mcp/lib/opentimestamps.ts'

const header = Buffer.concat([
  Buffer.from('\0OpenTimestamps\0\0Proof\0', 'latin1'),
  Buffer.from('bf89e2e884e89294', 'hex'),
  Buffer.of(1),
])
const url = 'https://calendar.example.org'
const pending = Buffer.concat([
  Buffer.of(0),
  Buffer.from('83dfe30d2ef90c8e', 'hex'),
  Buffer.of(url.length + 1, url.length),
  Buffer.from(url),
])
const file = (op: number, digest: Buffer, steps: readonly number[] = []) =>
  Buffer.concat([header, Buffer.of(op), digest, Buffer.from(steps), pending])
/** What the calendar was sent of a file. */
const attested = (bytes: Buffer) => listAttestations(parseOts(bytes))[0]?.timestamp.message.toString('hex')

test.each([
  ['sha1', 0x02, 20],
  ['ripemd160', 0x03, 20],
  ['sha256', 0x08, 32],
  ['keccak256', 0x67, 32],
] as const)('a stamp of a file under %s is read and written', (digest, op, length) => {
  const bytes = file(op, Buffer.alloc(length, 5))
  const timestamp = parseOts(bytes)
  expect(timestamp).toMatchObject({ digest, message: Buffer.alloc(length, 5) })
  expect(formatOts(timestamp)).toEqual(bytes)
})

test('every operation on the way is followed', () => {
  const message = Buffer.from(`${'ab'.repeat(31)}cd`, 'hex')
  expect(attested(file(0x08, message, [0xf2]))).toBe(`cd${'ab'.repeat(31)}`)
  expect(attested(file(0x08, message, [0xf3]))).toBe(Buffer.from(message.toString('hex')).toString('hex'))
  expect(attested(file(0x08, message, [0x02]))).toBe(createHash('sha1').update(message).digest('hex'))
  // The place of the first array in storage, as Solidity counts it: Keccak-256 of 32 zero bytes.
  expect(attested(file(0x08, Buffer.alloc(32), [0x67]))).toBe(
    '290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563',
  )
})

test('another hash is refused', () => {
  expect(() => parseOts(file(0x09, Buffer.alloc(32)))).toThrow(BadTimestamp)
})
