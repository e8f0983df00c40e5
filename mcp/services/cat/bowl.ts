import { z } from 'zod'
import { collection } from '../../kernel/collection.ts'
import type { Store } from '../../ports/store/port.ts'

/** The bowl as it was left: how full, in percent, and when. */
export type Bowl = { id: 'bowl'; percent: number; at: string; feedings: number }

export const bowlsIn = collection<Bowl>({ name: 'cat.bowl', bounded: 'One.' })

export const moods = ['starving', 'hungry', 'content', 'smug'] as const

/** The cat's words to a hand, by its mood. */
export const purrs: Record<(typeof moods)[number], string> = {
  starving: 'Mew.',
  hungry: 'Mrrp?',
  content: 'Prrr.',
  smug: 'Prrrrrrrr.',
}

/** Live state of the bowl; kibble shrinks by one percent an hour and stays within 0 and 100. */
export const Kibble = z.object({
  kibble: z.number().min(0).max(100).describe('How full the bowl is, in percent'),
  mood: z.enum(moods).describe('Follows the bowl'),
  feedings: z.number().int().describe('How often the cat was fed'),
  observed_at: z.iso.datetime().describe('When this was true, UTC'),
})

const hour = 3_600_000

/** The mood that goes with a level of the bowl. */
export const moodAt = (kibble: number): (typeof moods)[number] => {
  if (kibble >= 80) return 'smug'
  if (kibble >= 30) return 'content'
  return kibble > 0 ? 'hungry' : 'starving'
}

/** Percent left in the bowl at a time: one percent less for each hour since, to one decimal. */
export const levelAt = ({ percent, at }: Pick<Bowl, 'percent' | 'at'>, now: Date): number => {
  const hours = Math.max(0, now.getTime() - Date.parse(at)) / hour
  return Math.min(100, Math.max(0, Math.round((percent - hours) * 10) / 10))
}

/** Reads the bowl without touching it; one that nobody ever filled is empty. */
export const kibbleNow = async (store: Store, now: Date): Promise<z.output<typeof Kibble>> => {
  const bowl = await bowlsIn(store).get('bowl')
  const kibble = bowl ? levelAt(bowl, now) : 0
  return { kibble, mood: moodAt(kibble), feedings: bowl?.feedings ?? 0, observed_at: now.toISOString() }
}
