import type { AccountDeps } from '../deps.ts'
import { endGrant } from './connections.ts'
import { oauthRowsIn } from './row.ts'

const batch = 200

/**
 * Drops what has expired: codes, tokens, sign-ins that nobody finished, clients that never got a token, and grants with what they could
 * spend. Safe to run on every replica.
 */
export const sweepOauth = async (
  { store, clock, keys }: Pick<AccountDeps, 'store' | 'clock' | 'keys'>,
  signal: AbortSignal,
): Promise<void> => {
  const lte = clock.now().toISOString()
  while (!signal.aborted) {
    const { rows } = await oauthRowsIn(store).find({
      index: 'expires',
      where: { expires_at: { lte } },
      limit: batch,
    })
    if (rows.length === 0) break
    for (const { id } of rows)
      await store.transaction(async tx => {
        const row = await oauthRowsIn(tx).get(id)
        // Used in between, it lives on.
        if (!row || row.expires_at > lte) return
        if (row.model === 'Grant' && row.grant !== null) await endGrant(tx, keys, row.grant)
        await oauthRowsIn(tx).delete(id)
      })
  }
}
