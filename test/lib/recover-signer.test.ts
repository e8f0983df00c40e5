import { randomBytes } from 'node:crypto'
import { type Hex, numberToHex, recoverAddress, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { recoverSigner } from '../../mcp/lib/recover-signer.ts'

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const field = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn

const word = (value: bigint): string => numberToHex(value, { size: 32 }).slice(2)
const byte = (value: number): string => value.toString(16).padStart(2, '0')
const random32 = (): Hex => toHex(randomBytes(32))
const randomNumber = (): bigint => BigInt(random32())

/** What we answer, once it is certain that viem answers the same. */
const recoverAlike = async (hash: Hex, signature: Hex): Promise<Hex | undefined> => {
  const answer = await recoverSigner(hash, signature)
  expect(answer, `${hash} ${signature}`).toBe(
    await recoverAddress({ hash, signature }).catch(() => undefined),
  )
  return answer
}

const parts = (signature: Hex) => ({
  r: BigInt(signature.slice(0, 66)),
  s: BigInt(`0x${signature.slice(66, 130)}`),
  v: Number(`0x${signature.slice(130)}`),
})

test('the signer of a digest, in all forms of v, and with the higher s', async () => {
  for (let n = 0; n < 150; n++) {
    const account = privateKeyToAccount(generatePrivateKey())
    const hash = random32()
    const signature = await account.sign({ hash })
    const { r, s, v } = parts(signature)
    expect(await recoverAlike(hash, signature)).toBe(account.address)
    const short: Hex = `0x${word(r)}${word(s)}${byte(v - 27)}`
    expect(await recoverAlike(hash, short)).toBe(account.address)
    const high: Hex = `0x${word(r)}${word(order - s)}${byte(v === 27 ? 28 : 27)}`
    expect(await recoverAlike(hash, high)).toBe(account.address)
    const other: Hex = `0x${word(r)}${word(s)}${byte(v === 27 ? 28 : 27)}`
    expect(await recoverAlike(hash, other)).not.toBe(account.address)
    expect(await recoverAlike(hash, signature.toUpperCase().replace('0X', '0x') as Hex)).toBe(account.address)
  }
})

test('random numbers are somebody or nobody to both alike', async () => {
  const answers = new Set<boolean>()
  for (let n = 0; n < 400; n++) {
    const v = n % 4 === 0 ? (randomBytes(1)[0] ?? 0) : 27 + (n % 2)
    const answer = await recoverAlike(
      random32(),
      `0x${word(randomNumber())}${word(randomNumber())}${byte(v)}`,
    )
    answers.add(answer === undefined)
  }
  expect(answers.size).toBe(2)
})

test('numbers at the borders of the curve', async () => {
  const half = order / 2n
  const edges = [
    0n,
    1n,
    2n,
    half,
    half + 1n,
    order - 1n,
    order,
    order + 1n,
    field - order,
    field,
    2n ** 256n - 1n,
  ]
  const digests = [0n, 1n, order - 1n, order, order + 1n, 2n ** 256n - 1n].map(
    value => `0x${word(value)}` as Hex,
  )
  for (const hash of digests)
    for (const r of edges)
      for (const s of edges)
        for (const v of [0, 1, 2, 3, 26, 27, 28, 29, 255])
          if (v < 2 || hash === digests[0]) await recoverAlike(hash, `0x${word(r)}${word(s)}${byte(v)}`)
}, 300_000)

test('a point at infinity is nobody', async () => {
  // r is the x of the generator G, so R = G; with s = 1 and a digest of 1 the key would be (sR - zG) / r = G - G.
  const x = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n
  expect(await recoverAlike(`0x${word(1n)}`, `0x${word(x)}${word(1n)}1b`)).toBeUndefined()
})

test('what is no digest or no signature is nobody', async () => {
  const hash = random32()
  const signature = await privateKeyToAccount(generatePrivateKey()).sign({ hash })
  for (const wrong of ['0x', `${signature}00`, signature.slice(0, -2), signature.replace(/.$/, 'g')])
    expect(await recoverAlike(hash, wrong as Hex)).toBeUndefined()
  for (const wrong of ['0x', `${hash}00`, hash.slice(0, -2), hash.replace(/.$/, 'g')])
    expect(await recoverSigner(wrong as Hex, signature)).toBeUndefined()
})
