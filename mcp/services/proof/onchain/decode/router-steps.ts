import type { Address } from '../action.ts'
import { type Call, isSame, lower } from '../scene.ts'

/** Routers keep the output for a later step when it is theirs: zero, themselves, or their constant 2. Constant 1 is the sender. */
export const settleRecipient = (
  recipient: string,
  call: Call,
): { recipient: Address | undefined; isKept: boolean } => {
  if (/^0x0{39}[02]$/.test(recipient) || isSame(recipient, call.to))
    return { recipient: undefined, isKept: true }
  if (/^0x0{39}1$/.test(recipient)) return { recipient: call.from, isKept: false }
  return { recipient: lower(recipient), isKept: false }
}

/** Tokens of a path of Uniswap V3: 20 bytes each, fees of 3 bytes between them. */
export const tokensOfPath = (path: string): Address[] => {
  const digits = path.slice(2)
  const tokens: Address[] = []
  for (let at = 0; at + 40 <= digits.length; at += 46) tokens.push(lower(`0x${digits.slice(at, at + 40)}`))
  return tokens
}
