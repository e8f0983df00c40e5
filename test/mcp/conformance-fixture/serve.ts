import { era2025 } from '../../../mcp/server/era-2025.ts'
import { era2026 } from '../../../mcp/server/era-2026.ts'
import { mount } from '../../../mcp/server/mount.ts'
import { serveSites } from '../serve.ts'
import { fixture2025 } from './server-2025.ts'
import { fixture2026 } from './server-2026.ts'

/** The fixture servers behind the mount, the guard and the router that real services are served by. */
export const serveFixture = () =>
  serveSites([
    {
      prefix: '',
      routes: mount(
        '/mcp',
        {
          legacy: () => era2025(fixture2025, () => true),
          modern: () => era2026((_, notify) => fixture2026(notify)),
        },
        { shim: false, onClient: () => {} },
      ),
    },
  ])
