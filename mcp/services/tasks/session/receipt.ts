import { computeUnitPrice, type Session } from './session.ts'

/** The receipt of a paid request of a session (`Payment-Receipt`, and the last event of its stream). */
export const toReceipt = (
  session: Session,
  { challengeId = session.challenge ?? undefined, at }: { challengeId?: string; at: Date },
) => ({
  method: 'evm',
  intent: 'session',
  status: 'success',
  timestamp: at.toISOString(),
  reference: session.channel_id,
  ...(challengeId !== undefined && { challengeId }),
  channelId: session.channel_id,
  chainId: session.channel.chain_id,
  acceptedCumulative: session.accepted,
  spent: session.spent,
  units: Number(BigInt(session.spent) / computeUnitPrice(session)),
  ...(session.transactions.close !== null && { txHash: session.transactions.close }),
})
