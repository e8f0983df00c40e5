import { service } from '../../kernel/service.ts'
import bowlPage from './bowl-page.ts'
import claimTip from './claim-tip.ts'
import { catSettings } from './config.ts'
import feed from './feed.ts'
import feedTestnet from './feed-testnet.ts'
import feedings from './feedings.ts'
import guestbook from './guestbook.ts'
import kibble from './kibble.ts'
import pet from './pet.ts'
import sign from './sign.ts'
import skill from './skill.ts'
import { watchTips } from './tip.ts'

export default service({
  label: 'C',
  slug: 'cat',
  icon: 'M2 2l4 3h4l4-3v8a6 5 0 0 1-12 0z',
  name: 'The cat',
  description:
    'A cat. Petting is free, feeding is ten cents in USDC on Base, and there is a guest book. Send any text over A2A to hear how full the bowl is.',
  version: '1.0.0',
  license: 'MIT',
  interfaces: [
    { binding: 'JSONRPC', path: '/', version: '1.0' },
    { binding: 'JSONRPC', path: '/a2a', version: '1.0' },
  ],
  card: {
    path: '/.well-known/agent-card.json',
    inputModes: ['text/plain', 'application/json'],
    outputModes: ['text/plain', 'application/json'],
  },
  auth: ['public'],
  tools: [pet, kibble, feed, feedTestnet, claimTip, feedings, sign, guestbook],
  endpoints: [bowlPage],
  documents: [skill],
  jobs: [watchTips],
  settings: catSettings,
  documentation: '/skill.md',
  fallback: 'kibble',
})
