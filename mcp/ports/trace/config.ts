import { z } from 'zod'
import { settings } from '../../kernel/setting.ts'
import { absoluteUrl, list } from '../../lib/setting-texts.ts'

/** The text of a value that may be percent-encoded; undefined where its encoding is broken. */
const decodeText = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const pairs = list.transform((entries, context) =>
  Object.fromEntries(
    entries.map(entry => {
      const at = entry.indexOf('=')
      const value = at < 1 ? undefined : decodeText(entry.slice(at + 1).trim())
      if (value === undefined)
        context.addIssue({ code: 'custom', message: 'must be name=value, between commas' })
      return [entry.slice(0, at).trim(), value ?? ''] as const
    }),
  ),
)

/** The variables of OpenTelemetry that this program reads; they are the same for every program of an operator. */
export const traceSettings = settings({
  endpoint: {
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    schema: absoluteUrl,
    description:
      'Collector that traces are sent to by OTLP/HTTP as JSON, at /v1/traces below this address. It may be on this machine. Without it no trace is recorded.',
    example: 'http://127.0.0.1:4318',
  },
  headers: {
    variable: 'OTEL_EXPORTER_OTLP_HEADERS',
    schema: pairs,
    description: 'Headers for the collector: name=value, between commas.',
    secret: true,
  },
  serviceName: {
    variable: 'OTEL_SERVICE_NAME',
    schema: z.string().min(1).max(200),
    description: 'The name that traces have for this program.',
    default: 'octagent',
  },
  resource: {
    variable: 'OTEL_RESOURCE_ATTRIBUTES',
    schema: pairs,
    description: 'What else traces say of this replica: name=value, between commas.',
    example: 'deployment.environment.name=production,service.instance.id=a',
  },
  ratio: {
    variable: 'OTEL_TRACES_SAMPLER_ARG',
    schema: z.coerce.number().min(0).max(1),
    description:
      'Part of the calls that are traced which bring no traceparent; what brings one is traced where its caller traces it.',
    default: '1',
  },
})
