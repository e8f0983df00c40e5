import { openChild } from './child.ts'
import { contestBetween } from './compare.ts'
import { input, toolNames } from './fixture.ts'
import type { Ask } from './load.ts'
import type { Bench, Group } from './row.ts'

const data = { skill: toolNames(26)[12], ...input }

const asks: Record<'0.3' | '1.0', Ask> = {
  '0.3': {
    method: 'POST',
    path: '/a2a',
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: {
        message: { kind: 'message', messageId: 'm1', role: 'user', parts: [{ kind: 'data', data }] },
      },
    },
  },
  '1.0': {
    method: 'POST',
    path: '/a2a',
    headers: { 'a2a-version': '1.0' },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ data }] } },
    },
  },
}

type Part = { text?: string; data?: unknown }

const parts = (body: string): unknown => {
  const { result } = JSON.parse(body)
  const message: { parts?: Part[] } | undefined = result?.message ?? result
  if (!message?.parts) throw new Error(`no message: ${body.slice(0, 400)}`)
  return message.parts.map(({ text, data }) => ({ text, data }))
}

const bench = (version: '0.3' | '1.0', name: string, aim: Bench['aim']): Bench => ({
  name,
  unit: 'x',
  against: '@a2a-js/sdk 1.3.0 server',
  ...(aim && { aim }),
  measure: () => {
    const ask = asks[version]
    return contestBetween([openChild('octagent', ['26']), openChild('a2a-js')], [ask, ask], parts)
  },
})

/** The same skill behind our adapter and behind the server of the official SDK. */
export const a2a: Group = {
  name: 'a2a',
  benches: [
    bench('0.3', 'A2A message/send (0.3)', { atLeast: 2.5 }),
    bench('1.0', 'A2A SendMessage (1.0)', { atLeast: 2.5 }),
  ],
}
