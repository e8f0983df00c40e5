import { writeSync } from 'node:fs'
import { openEmbedded } from '../../../store/embedded/open.ts'
import { listingOf, startMarket } from './market.ts'

// Seals one deal after the other until it is killed, and says before each which accounts and which thread it is about.
const [dir = ''] = process.argv.slice(2)
const store = await openEmbedded({ dir })
const market = await startMarket({ store })
for (;;) {
  const poster = await market.trader({ credits: 2201 })
  const negotiator = await market.trader({ credits: 2000 })
  const { listing_id } = await poster.ask('post_listing', listingOf)
  const opened = await negotiator.ask('open_thread', { listing: listing_id, text: 'As it is.' })
  const { terms_hash } = opened.standing as { terms_hash: string }
  const line = { poster: poster.id, negotiator: negotiator.id, listing: listing_id, thread: opened.thread_id }
  writeSync(1, `${JSON.stringify(line)}\n`)
  await poster.ask('finalize_deal', { id: opened.thread_id, terms_hash })
}
