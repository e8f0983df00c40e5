import { encodeAbiParameters, type Hex, keccak256, toEventSelector, toFunctionSelector, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { authorizationAbi, authorizationFields, usdcAbi } from '../../mcp/lib/evm-abi.ts'
import { isTrue, numberIn, returnedText } from '../../mcp/lib/evm-words.ts'

test('the functions and events have the selectors of the standards', () => {
  expect(authorizationAbi.map(item => toFunctionSelector(item))).toEqual(['0xe3ee160e', '0xcf092995'])
  const usdc = usdcAbi.map(item =>
    item.type === 'event' ? toEventSelector(item).slice(0, 10) : toFunctionSelector(item),
  )
  expect(usdc).toEqual(['0x70a08231', '0xe94a0102', '0xa9059cbb', '0xddf252ad', '0x98de5035'])
})

test('the fields that are signed are those of EIP-3009', () => {
  const fields = authorizationFields.map(({ type, name }) => `${type} ${name}`).join()
  expect(keccak256(toHex(`TransferWithAuthorization(${fields})`))).toBe(
    '0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267',
  )
})

describe('words of an answer', () => {
  const text = (value: string): Hex => encodeAbiParameters([{ type: 'string' }], [value])

  test('are read as text, cut and made safe to show', () => {
    expect(returnedText(text('USD Coin'))).toBe('USD Coin')
    expect(returnedText(text(`USD\u{e0041}\u202e Coin`))).toBe('USD Coin')
    expect(returnedText(text('😀'.repeat(200)))).toBe(`${'😀'.repeat(49)}…`)
    expect(returnedText(`0x${Buffer.from('MKR').toString('hex').padEnd(64, '0')}`)).toBe('MKR')
  })

  test('that lie about their length are no text', () => {
    const word = (value: bigint) => value.toString(16).padStart(64, '0')
    expect(returnedText(`0x${word(2n ** 255n)}${word(4n)}`)).toBeNull()
    expect(returnedText(`0x${word(32n)}${word(2n ** 255n)}`)).toBeNull()
    expect(returnedText('0x')).toBeNull()
    expect(returnedText(null)).toBeNull()
  })

  test('are read as numbers and as truth', () => {
    expect(numberIn(`0x${'0'.repeat(63)}7`)).toBe(7n)
    expect(numberIn('0x07')).toBeNull()
    expect(isTrue(`0x${'0'.repeat(63)}1`)).toBe(true)
    expect(isTrue(`0x${'0'.repeat(63)}2`)).toBe(false)
  })
})
