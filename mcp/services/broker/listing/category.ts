import { ToolError } from '../../../kernel/error.ts'

/** Categories of trade, and other words for them. */
export const tradeCategories = {
  data: ['dataset', 'datasets', 'feed'],
  research: ['analysis', 'report'],
  writing: ['copywriting', 'content', 'text'],
  translation: ['localisation', 'localization'],
  code: ['programming', 'software', 'development'],
  review: ['audit', 'code-review'],
  testing: ['qa', 'test'],
  security: ['pentest', 'infosec'],
  design: ['ui', 'ux', 'graphics'],
  image: ['images', 'photo', 'illustration'],
  audio: ['voice', 'speech', 'music'],
  video: ['animation', 'film'],
  model: ['ml', 'inference', 'training'],
  compute: ['gpu', 'hosting', 'infrastructure'],
  automation: ['workflow', 'integration', 'bot'],
  scraping: ['crawling', 'extraction'],
  finance: ['trading', 'payments', 'accounting'],
  legal: ['law', 'compliance'],
  support: ['helpdesk', 'customer-service'],
  other: ['misc', 'general'],
} as const satisfies Record<string, readonly string[]>

export type TradeCategory = keyof typeof tradeCategories

const names = new Map<string, TradeCategory>(
  Object.entries(tradeCategories).flatMap(([name, synonyms]) =>
    [name, ...synonyms].map(word => [word, name as TradeCategory] as const),
  ),
)

/** The category a word stands for; undefined when it stands for none. */
const parseCategory = (word: string): TradeCategory | undefined =>
  names.get(
    word
      .trim()
      .toLowerCase()
      .replace(/[\s_]+/g, '-'),
  )

/** The category a word stands for. Throws 422 that names them all when it stands for none. */
export const requireCategory = (word: string): TradeCategory => {
  const category = parseCategory(word)
  if (category) return category
  const message = `must be one of ${Object.keys(tradeCategories).join(', ')}`
  throw new ToolError('invalid_input', `category: ${message}.`, { issues: [{ path: 'category', message }] })
}
