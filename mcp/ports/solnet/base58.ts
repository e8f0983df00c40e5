const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Bytes as Solana writes keys, hashes and signatures. */
export const base58 = (bytes: Uint8Array): string => {
  let number = bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  for (; number > 0n; number /= 58n) text = alphabet.charAt(Number(number % 58n)) + text
  const zeros = bytes.findIndex(byte => byte !== 0)
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text
}

/** The bytes of a base58 text; undefined when it is none, or longer than a key pair (64 bytes) can be. */
export const fromBase58 = (text: string): Buffer | undefined => {
  if (text.length > 88 || !/^[1-9A-HJ-NP-Za-km-z]*$/.test(text)) return undefined
  let number = 0n
  for (const letter of text) number = number * 58n + BigInt(alphabet.indexOf(letter))
  const hex = number === 0n ? '' : number.toString(16)
  const zeros = /^1*/.exec(text)?.[0].length ?? 0
  return Buffer.concat([
    Buffer.alloc(zeros),
    Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex'),
  ])
}
