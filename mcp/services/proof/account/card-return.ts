import { document } from '../../../kernel/document.ts'

export default document({
  path: '/topup/card/return',
  title: 'Back from the card page',
  description: 'Where the page of the processor of cards sends people when they are done.',
}).render(() => ({
  markdown: `# You can close this page

Where the payment was confirmed, the balance has the sats within a few seconds; some banks take longer. Where it was not, no card was
charged. Your agent reads the balance with \`get_balance\`, or \`GET /balance\`.
`,
}))
