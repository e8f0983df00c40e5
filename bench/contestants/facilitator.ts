import { createServer } from 'node:http'
import { enter } from '../contestant.ts'

/** A facilitator without a chain: it takes every payment, and gives each a transaction of its own. */
const network = 'eip155:84532'
let settlements = 0
enter(
  createServer((req, res) => {
    const answer = (body: object) => {
      res.setHeader('content-type', 'application/json')
      res.end(JSON.stringify(body))
    }
    req.resume()
    req.on('end', () => {
      if (req.url === '/supported')
        return answer({ kinds: [{ x402Version: 2, scheme: 'exact', network }], extensions: [], signers: {} })
      const payer = `0x${'11'.repeat(20)}`
      if (req.url === '/verify') return answer({ isValid: true, payer })
      settlements += 1
      answer({
        success: true,
        transaction: `0x${settlements.toString(16).padStart(64, '0')}`,
        network,
        payer,
      })
    })
  }),
)
