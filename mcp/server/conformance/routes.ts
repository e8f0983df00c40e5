import type { Route } from '../../kernel/http.ts'
import { era2025 } from '../era-2025.ts'
import { era2026 } from '../era-2026.ts'
import { type McpOptions, mount } from '../mount.ts'
import { answering, asking, type PendingQuestions } from './questions.ts'
import { server2025 } from './server-2025.ts'
import { server2026 } from './server-2026.ts'

/**
 * `/mcp` of a diagnostic server: the tools, resources and prompts that the conformance suite of MCP calls, behind the mount and the
 * eras that every service is served by.
 */
export const conformanceRoutes = (options: McpOptions): Route[] => {
  const questions: PendingQuestions = new Map()
  return mount(
    '/mcp',
    {
      legacy: async () =>
        answering(
          await era2025(
            async () => asking(await server2025(), questions),
            () => true,
          ),
          questions,
        ),
      modern: () => era2026((_, notify) => server2026(notify)),
    },
    options,
  )
}
