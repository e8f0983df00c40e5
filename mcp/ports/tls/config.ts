import { z } from 'zod'
import { settings } from '../../kernel/setting.ts'
import { absoluteUrl } from '../../lib/setting-texts.ts'

export const tlsSettings = settings({
  smtp: {
    variable: 'OCTAGENT_SMTP_PROBE',
    schema: z.enum(['on', 'off']),
    description:
      'Whether email-auth asks mail servers for STARTTLS, on port 25. Where that port is blocked, their TLS is unknown.',
    default: 'on',
  },
  preloadUrl: {
    variable: 'OCTAGENT_HSTS_PRELOAD_URL',
    schema: absoluteUrl,
    description:
      'Where security-headers asks for the HSTS preload status of a domain; its name is put at the end.',
    default: 'https://hstspreload.org/api/v2/status?domain=',
  },
})
