import { keccak256, stringToHex } from 'viem'
import type { Challenge } from '../../mcp/payment/dialects/payment/challenge.ts'
import type { Chain } from './fake-method.ts'

/** A credential as a stock client of the `Payment` scheme signs it: the nonce and the times are those of the challenge. */
export const answerChallenge = (chain: Chain, challenge: Challenge, payer: string, changes: object = {}) => {
  const { id, realm, expires, request } = challenge
  const authorization = {
    from: payer,
    to: request.recipient,
    value: request.amount,
    validAfter: '0',
    validBefore: String(Date.parse(expires) / 1000),
    nonce: keccak256(stringToHex(`${id}${realm}`)),
    ...changes,
  }
  const signature = chain.sign(payer, authorization)
  return { challenge, payload: { type: 'authorization', ...authorization, signature } }
}
