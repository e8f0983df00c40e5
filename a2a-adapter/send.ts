import { begin } from './begin.ts'
import type { A2aDeps, Exchange } from './exchange.ts'
import { goOn } from './go-on.ts'
import { readSending } from './wire/decode.ts'
import { encodeSent } from './wire/encode.ts'
import { refuseSecrets } from './wire/secret.ts'

/** `message/send` and `SendMessage`: a Message for what is done at once, a Task where the protocol needs one. */
export const sendMessage = async (deps: A2aDeps, exchange: Exchange): Promise<object> => {
  const sending = readSending(exchange.params)
  refuseSecrets(sending.message)
  const callTool = sending.message.taskId === undefined ? begin : goOn
  const reply = await (deps.agent ?? callTool)(deps, exchange, sending)
  return encodeSent(exchange.version, reply, sending.historyLength)
}
