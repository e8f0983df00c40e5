import { expect, test } from 'vitest'
import { openEncryption } from '../../mcp/payment/gate/encryption.ts'

const [before, now] = [{ hmacKey: Buffer.alloc(32, 1) }, { hmacKey: Buffer.alloc(32, 2) }]
const rotating = { ...now, previousHmacKey: before.hmacKey }

test('a payment that was encrypted with the key before opens while keys are rotated, and only then', () => {
  const closed = openEncryption(before).close('a payment')
  expect([rotating, now].map(keys => openEncryption(keys).open(closed))).toEqual(['a payment', undefined])
  expect(openEncryption(now).open(openEncryption(rotating).close('a payment'))).toBe('a payment')
})
