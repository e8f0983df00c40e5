import { describe, expect, test } from 'vitest'
import { ToolError } from '../../../../mcp/kernel/error.ts'
import { openWorkers } from '../../../../mcp/ports/workers/workers.ts'
import type { ArtifactType } from '../../../../mcp/services/proof/review/artifact-type.ts'
import { judgeArtifact } from '../../../../mcp/services/proof/review/judge-artifact.ts'
import { judgeModule } from '../../../../mcp/services/proof/review/review-text.ts'

const clock = { now: () => new Date() }
const signal = new AbortController().signal

const judgeWith = (run: () => Promise<never>, artifact_type: ArtifactType) =>
  judgeArtifact(
    { clock, signal, knownBad: [], workers: { run, warm: () => undefined, forCall: () => expect.fail() } },
    { artifact: 'echo hello', artifact_type },
  )

/** As the pool ends a task that takes more than its processor time. */
const giveUp = async (): Promise<never> => {
  throw new ToolError('upstream', 'The content takes too much time to read and was given up.')
}

describe('a text that cannot be read to its end', () => {
  test('is not approved, and the answer says that it was not read', async () => {
    const judged = await judgeWith(giveUp, 'shell_command')
    expect(judged).toMatchObject({ verdict: 'approve_with_concerns', confidence: 0.3 })
    expect(judged.findings).toMatchObject([{ rule: 'not-read', severity: 'high' }])
    expect(judged.notChecked.join()).toContain('given up')
  })

  test('is rejected where the action cannot be undone', async () => {
    expect(await judgeWith(giveUp, 'trade')).toMatchObject({ verdict: 'reject', gate: { triggered: true } })
  })

  test('is not judged at all where there is no thread for it', async () => {
    const stopping = async (): Promise<never> => {
      throw new ToolError('unavailable', 'The server is stopping.')
    }
    await expect(judgeWith(stopping, 'general')).rejects.toMatchObject({ code: 'unavailable' })
  })
})

test('a thread gives what the layers give here', async () => {
  const workers = openWorkers({ threads: 1 })
  try {
    const { judgeText } = await import('../../../../mcp/services/proof/review/judge-text.ts')
    const text = {
      type: 'shell_command',
      text: 'cd /srv\nrm -rf /',
      context: undefined,
      state: undefined,
    } as const
    expect(await workers.run(judgeModule, 'judgeText', text)).toEqual(judgeText(text))
  } finally {
    await workers.close()
  }
})
