import type { Service } from '../../kernel/service.ts'
import type { AnyTool } from '../../kernel/tool.ts'
import { artifactSettings } from './artifacts/config.ts'
import downloadArtifact from './artifacts/download.ts'
import { sweepArtifacts } from './artifacts/sweep.ts'
import browse from './browse.ts'
import deleteArtifact from './delete-artifact.ts'
import getArtifact from './get-artifact.ts'
import listArtifacts from './list-artifacts.ts'

/** Tools that look at pages and keep what was made of them. */
export const browseTools: readonly AnyTool[] = [browse, getArtifact, listArtifacts, deleteArtifact]

/** Parts that browsing adds to the service beside its tools. */
export const browseParts = {
  endpoints: [downloadArtifact],
  jobs: [sweepArtifacts],
  settings: artifactSettings,
} satisfies Pick<Service, 'endpoints' | 'jobs' | 'settings'>
