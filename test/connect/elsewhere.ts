import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LimitTexts, parseLimits } from '../../connect/limits.ts'
import { openPayer } from '../../connect/payer.ts'
import { findPrice } from '../../connect/price.ts'

/** Why a price of a server that is not on this machine is not paid; `paid` where it is. */
export const chooseFor = async (url: string, result: object, limits: LimitTexts = {}): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'octagent-connect-'))
  const payer = openPayer({
    url: new URL(url),
    folder,
    demoFolders: [],
    limits: async () => parseLimits(limits),
  })
  const price = findPrice({ jsonrpc: '2.0', id: 1, result })
  if (!price) throw new Error('the result has no price')
  const prepared = await payer.prepare({ tool: 'buy', input: {}, price, listed: undefined })
  return 'refused' in prepared ? prepared.refused : 'paid'
}
