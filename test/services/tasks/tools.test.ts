import { expect, test } from 'vitest'
import { compileTool } from '../../../mcp/server/compile.ts'
import tasks from '../../../mcp/services/tasks/service.ts'
import { tools } from '../../../mcp/services/tasks/tools.ts'

test.each(tools.map(tool => ({ tool, name: tool.name })))('$name passes the boot check', ({ tool, name }) => {
  expect(() => compileTool(`tasks.${name}`, tool)).not.toThrow()
  expect(tool.description).not.toMatch(/\b(ALWAYS|MUST|IMPORTANT|NEVER)\b/)
})

test('each name and each route is there once', () => {
  const names = tools.map(({ name }) => name)
  const routes = tools.flatMap(({ rest }) => rest?.routes ?? [])
  for (const list of [names, routes]) expect(new Set(list).size).toBe(list.length)
})

test('each tool but the one that shows a key is an operation of one of the seven skills', () => {
  const ids = tasks.skillGroups?.map(({ id }) => id)
  expect(ids).toEqual([
    'publish-task',
    'manage-tasks',
    'review-submissions',
    'worker-management',
    'batch-operations',
    'analytics',
    'payments',
  ])
  const groups = tools.filter(({ name }) => name !== 'make_key').map(({ a2a }) => a2a?.group)
  expect(new Set(groups)).toEqual(new Set(ids))
})

test('anybody may read what is public, and nothing else without saying who', () => {
  const open = tools.filter(({ auth = [] }) => auth.includes('public')).map(({ name }) => name)
  expect(open.sort()).toEqual([
    'calculate_fee',
    'check_identity',
    'evidence_types',
    'get_history',
    'get_reputation',
    'get_task',
    'get_worker',
    'leaderboard',
    'list_questions',
    'make_nonce',
    'read_config',
    'read_version',
    'search_tasks',
    'signature_policy',
    'verify_history',
  ])
})
