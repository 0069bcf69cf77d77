/** The tools by name: those that agents need, and with `all` those that manage a project. */
import { auditPage, runActor } from './audit-tools.ts'
import { crawlTools } from './crawl-tools.ts'
import { diffRuns } from './diff-tool.ts'
import { projectTools } from './project-tools.ts'
import { readTools } from './read-tools.ts'
import type { Tool } from './tool.ts'

export const toolSets = ['default', 'all'] as const
export type ToolSetName = (typeof toolSets)[number]

const usual: Readonly<Record<string, Tool>> = {
  ...readTools,
  ...crawlTools,
  diff_runs: diffRuns,
  audit_page: auditPage,
}

export const toolsOf = (set: ToolSetName): Readonly<Record<string, Tool>> =>
  set === 'all' ? { ...usual, run_actor: runActor, ...projectTools } : usual
