import { expect, test } from 'vitest'
import { scriptedAgent, scriptedService } from '../../a2a-adapter/conformance.ts'
import { checkRequirements } from '../../scripts/a2a-requirements.mjs'
import { opened } from '../opened.ts'
import { serve } from './serve.ts'

const server = opened(() => serve([scriptedService], {}, { cardView: 'v1', agent: scriptedAgent }))

test('the scripted agent meets every requirement that the kit has for an agent without streams', async () => {
  const rows: { id: string; failure: string | undefined }[] = await checkRequirements(
    `${server.url}/${scriptedService.slug}`,
  )
  expect(rows.length).toBeGreaterThanOrEqual(45)
  expect(rows.filter(({ failure }) => failure !== undefined)).toEqual([])
})
