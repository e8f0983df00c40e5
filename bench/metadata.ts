import { openChild } from './child.ts'
import type { Bench, Group } from './row.ts'

type Accuracy = { right: Record<string, Record<string, number>>; labels: Record<string, number> }

let accuracy: Promise<Accuracy> | undefined

/** Every reader reads the labelled pages once, for all fields. */
const measureOnce = (): Promise<Accuracy> => {
  accuracy ??= (async () => {
    const child = await openChild('metadata')
    try {
      return await child.ask<Accuracy>('accuracy', undefined)
    } finally {
      await child.stop()
    }
  })()
  return accuracy
}

const ahead = (field: string): Bench => ({
  name: `url-metadata, ${field} of 80 labelled pages`,
  unit: 'points ahead',
  against: 'the best of five npm peers',
  aim: { atLeast: 0.1 },
  async measure() {
    const { right, labels } = await measureOnce()
    const count = labels[field] ?? 0
    const percent = (name: string) => ((right[name]?.[field] ?? 0) / count) * 100
    const peers = Object.keys(right)
      .filter(name => name !== 'ours')
      .sort((a, b) => percent(b) - percent(a))
    const best = peers[0] ?? ''
    const rest = peers.slice(1).map(name => `${name} ${percent(name).toFixed(0)}`)
    return {
      value: percent('ours') - percent(best),
      note: `${percent('ours').toFixed(1)} % of ${count}; ${best} ${percent(best).toFixed(0)}, ${rest.join(', ')}`,
    }
  },
})

/** How much of what pages say is read right, by us and by those who do the same. */
export const metadataAccuracy: Group = {
  name: 'metadata',
  benches: [
    'title',
    'description',
    'canonical',
    'author',
    'published',
    'modified',
    'publisher',
    'image',
    'lang',
    'site_name',
  ].map(ahead),
}
