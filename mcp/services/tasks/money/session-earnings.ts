import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { walletAccount } from './escrow.ts'

type Shares = { earned: bigint; fee: bigint; credited: bigint }

/**
 * How what a channel paid is shared out: the worker and the marketplace by the time that was spent, the payer what its voucher said
 * beyond it. `paid` = earned + fee + credited.
 */
export const shareEarnings = (
  paid: bigint,
  { spent, rate, price }: { spent: bigint; rate: bigint; price: bigint },
): Shares => {
  const owed = paid < spent ? paid : spent
  const earned = (owed * rate) / price
  return { earned, fee: owed - earned, credited: paid - owed }
}

/** Books what a channel has paid, once per session. */
export const bookEarnings = async (
  tx: Tx,
  ledger: Ports['ledger'],
  {
    session,
    worker,
    publisher,
    shares,
  }: { session: string; worker: string; publisher: string; shares: Shares },
): Promise<void> => {
  const { earned, fee, credited } = shares
  const paid = earned + fee + credited
  if (paid === 0n) return
  const postings = [
    { account: 'world:tasks-sessions' as const, amount: -paid },
    { account: walletAccount(worker), amount: earned },
    { account: 'house:tasks-fees' as const, amount: fee },
    { account: walletAccount(publisher), amount: credited },
  ].filter(({ amount }) => amount !== 0n)
  await ledger.post(tx, {
    id: `tasks-session:${session}`,
    unit: 'USDC',
    memo: `session ${session}`,
    postings: postings.map(({ account, amount }) => ({
      account,
      amount: { unit: 'USDC' as const, value: amount },
    })),
  })
}
