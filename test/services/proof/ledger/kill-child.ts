import { writeSync } from 'node:fs'
import { openSign } from '../../../../mcp/ports/sign/sign.ts'
import { appendLeaf } from '../../../../mcp/services/proof/ledger/leaf.ts'
import { openTransparencyLog } from '../../../../mcp/services/proof/ledger/log.ts'
import { openEmbedded } from '../../../../store/embedded/open.ts'

// Appends leaves and publishes checkpoints until it is killed, and says what was acknowledged: a leaf's hash, or a checkpoint.
const [dir = '', signingKey = ''] = process.argv.slice(2)
const store = await openEmbedded({ dir })
const clock = { now: () => new Date() }
const sign = openSign(signingKey)
const log = await openTransparencyLog({ store, clock, sign, ledgerOrigin: 'auto', reporters: [] })
const say = (line: object) => writeSync(1, `${JSON.stringify(line)}\n`)

const write = async () => {
  for (let n = 0; ; n++) {
    const event_id = `${process.pid} ${n} ${Math.random()}`
    const { leaf_hash } = await store.transaction(tx =>
      appendLeaf(tx, { type: 'verdict', event_id }, clock.now()),
    )
    say({ leaf_hash })
    if (n % 5 === 0) say({ note: (await log.checkpoint(log.size())).note })
  }
}
await Promise.all(Array.from({ length: 8 }, write))
