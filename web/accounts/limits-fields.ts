import { type Html, html } from '../../mcp/lib/text/html.ts'

type Limits = { per_call: string | null; per_day: string | null; services: readonly string[] | null }

type Service = { slug: string; name: string }

/** The fields that limits are written in; `readLimits` reads them. `id` keeps labels apart where a page has several. */
export const limitsFields = (id: string, limits: Limits, services: readonly Service[]): Html => html`
<label for="${id}-call">USD for one call, at most</label>
<input id="${id}-call" name="per_call" inputmode="decimal" autocomplete="off" maxlength="17" value="${limits.per_call ?? ''}" placeholder="no limit">
<label for="${id}-day">USD in a UTC day, at most</label>
<input id="${id}-day" name="per_day" inputmode="decimal" autocomplete="off" maxlength="17" value="${limits.per_day ?? ''}" placeholder="no limit">
<fieldset><legend>Services that it may pay</legend>
<label><input type="checkbox" name="all_services" value="1"${limits.services === null ? html` checked` : ''}> all of them, or only:</label>
${services.map(
  ({ slug, name }) =>
    html`<label><input type="checkbox" name="services" value="${slug}"${limits.services?.includes(slug) ? html` checked` : ''}> ${name}</label>`,
)}
</fieldset>`
