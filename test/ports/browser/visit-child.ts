import { openChromium } from '../../../mcp/ports/browser/chromium.ts'
import { openGuard } from '../../../mcp/ports/fetch/guard.ts'

const [url = '', path = ''] = process.argv.slice(2)
const guard = openGuard({
  resolve: async () => [{ address: '127.0.0.2', family: 4 }],
  allow: address => address === '127.0.0.2',
})
const browser = await openChromium({ guard, path, concurrency: 1 })
await browser.visit({
  url,
  steps: [{ action: 'wait', ms: 60_000 }],
  viewport: { width: 800, height: 600 },
  settleMs: 0,
  maxTextBytes: 1000,
  deadlineMs: 120_000,
})
