import { z } from 'zod'
import { settings } from '../../kernel/setting.ts'

export const tlsSettings = settings({
  smtp: {
    variable: 'OCTAGENT_SMTP_PROBE',
    schema: z.enum(['on', 'off']),
    description:
      'Whether email-auth asks mail servers for STARTTLS, on port 25. Where that port is blocked, their TLS is unknown.',
    default: 'on',
  },
})
