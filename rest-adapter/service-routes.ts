import type { World } from '../mcp/kernel/call.ts'
import type { AnyDocument } from '../mcp/kernel/document.ts'
import type { Route } from '../mcp/kernel/http.ts'
import { provideAll } from '../mcp/kernel/pipeline/provide.ts'
import { limitReads } from '../mcp/kernel/read-limit.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { iconSvg } from '../mcp/lib/icon.ts'
import { documentRoutes } from './discovery/documents.ts'
import { serviceFacts } from './discovery/registry.ts'
import { serviceBrief, serviceText } from './discovery/service-text.ts'
import { pageRoute, textRoute } from './page-route.ts'
import { referenceRoute } from './reference-page.ts'

const daySeconds = 86_400

const documentRoute = (world: World, service: Service, document: AnyDocument): Route[] => {
  const base = () => world.base(service)
  const buildPage = async (params: Readonly<Record<string, string>>) => {
    const { title, description, needs = [] } = document
    const { markdown, data, figures } = await document.render({
      ...provideAll(world, needs),
      base: base(),
      params,
    })
    return {
      title,
      description,
      markdown,
      data: data ?? { title, description, markdown },
      figures,
      base: base(),
      above: [
        { title: 'Tools', url: `${world.site.url}/` },
        { title: service.name, url: `${base()}/` },
      ],
    }
  }
  const madeAnew = document.needs !== undefined
  return limitReads(world, [pageRoute(world.shell, document.path, base, buildPage, madeAnew)], madeAnew)
}

/** Self-description of a service: its page, the documents by which it is found, and those that it declares. */
export const serviceRoutes = (world: World, service: Service): Route[] => {
  const base = () => world.base(service)
  const page = pageRoute(world.shell, '/', base, () => ({
    title: service.name,
    description: service.description,
    markdown: serviceText(base(), service),
    brief: serviceBrief(base(), service, world.site.url),
    data: serviceFacts(world, service),
    base: base(),
    above: [{ title: 'Tools', url: `${world.site.url}/` }],
  }))
  return [
    ...limitReads(world, [
      page,
      referenceRoute(world, service),
      textRoute('/icon.svg', 'image/svg+xml', base, () => iconSvg(service.icon), { maxAge: daySeconds }),
      ...documentRoutes({ world, services: [service], service }),
    ]),
    ...(service.documents ?? []).flatMap(document => documentRoute(world, service, document)),
  ]
}
