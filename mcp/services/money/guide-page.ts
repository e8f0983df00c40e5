import { document } from '../../kernel/document.ts'
import { guideText, topics } from './guide-text.ts'

export default document({
  path: '/guide',
  title: 'Guide to the money tools',
  description:
    'Bridge, gas, stocks, prices and payments that do not work, with commands that work as printed.',
}).render(({ base }) => ({ markdown: topics.map(topic => guideText(topic, base)).join('\n\n') }))
