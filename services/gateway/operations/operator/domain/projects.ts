/** Joins the runs of projects with their units and costs. Each side may be missing. */
import type { CostState, OperatorOverview, ProjectState } from '@tidemark/contracts/http/operator'
import type { ReadActivityResponse, ReadSpendingResponse, Spent } from '@tidemark/contracts/rpc/operator'

type Spending = ReadSpendingResponse | null
type Activity = ReadActivityResponse | null
type Units = Pick<ProjectState, 'pages' | 'cloud_pages' | 'cloud_cost_usd' | 'model_calls'>

const unknown: Units = { pages: null, cloud_pages: null, cloud_cost_usd: null, model_calls: null }
const none = { pages: 0, cloud_pages: 0, cloud_cost_usd: 0, model_calls: 0 }

const unitsOf = ({ pages, cloudPages, cloudCostUsd, modelCalls }: Spent) => ({
  pages,
  cloud_pages: cloudPages,
  cloud_cost_usd: cloudCostUsd,
  model_calls: modelCalls,
})

/**
 * Returns the projects in the order of the activity, or of the units without it.
 * @param limit maximum length of both lists: a shorter list of units has all projects with units
 */
export function projectStates(activity: Activity, spending: Spending, limit: number): ProjectState[] {
  const spent = new Map(spending?.byUnits.map(row => [row.projectId, unitsOf(row)]))
  const others = spending !== null && spent.size < limit ? none : unknown
  if (activity === null)
    return [...spent].map(([project_id, units]) => ({
      ...{ project_id, name: null, tier: null, queued: null, running: null, started: null },
      ...units,
    }))
  return activity.projects.map(({ projectId, ...project }) => ({
    project_id: projectId,
    ...project,
    ...(spent.get(projectId) ?? others),
  }))
}

/** Returns the costs of projects, with the names that are known. */
export function costStates(activity: Activity, spending: Spending): CostState[] {
  const names = new Map(activity?.names.map(({ projectId, name }) => [projectId, name]))
  return (spending?.byCost ?? []).map(({ projectId, ...row }) => {
    const { cloud_cost_usd, cloud_pages, model_calls } = unitsOf(row)
    const name = names.get(projectId) ?? null
    return { project_id: projectId, name, cloud_cost_usd, cloud_pages, model_calls }
  })
}

/** Returns the sums over all projects. */
export const sumsOf = (spending: Spending): Pick<OperatorOverview['costs'], 'today' | 'month'> => ({
  today: spending && unitsOf(spending.today),
  month: spending && unitsOf(spending.month),
})
