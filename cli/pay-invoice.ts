import { readConfig } from '../app/config.ts'
import { services } from '../app/services.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import { payDevelopmentInvoice } from '../mcp/ports/lightning/devnet.ts'
import { openLightningKey } from '../mcp/ports/lightning/key.ts'
import { readArguments } from './arguments.ts'

/**
 * `octagent pay-invoice <invoice>`: pays an invoice of the development node of this data folder, as a wallet would, and prints the
 * preimage that proves it. No money moves; invoices of real nodes are refused.
 */
export const payInvoice = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, {})
  const [invoice] = positionals
  if (invoice === undefined)
    throw new ToolError('invalid_input', 'Say which one: octagent pay-invoice <invoice>.', {
      hint: 'The invoice stands in the WWW-Authenticate header of a 402, as invoice="lnbcrt…".',
    })
  const { OCTAGENT_DATA } = readConfig(process.env, services)
  const result = payDevelopmentInvoice(invoice, await openLightningKey(OCTAGENT_DATA), new Date())
  if (result.state === 'failed')
    throw new ToolError('conflict', `Not paid: ${result.detail}.`, {
      hint: 'Only invoices of the server that runs with this OCTAGENT_DATA can be paid here.',
    })
  console.log(values.json ? JSON.stringify({ preimage: result.preimage }) : result.preimage)
  return 0
}
