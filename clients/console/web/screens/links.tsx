/** The link graph of a crawl. Its program is loaded when the screen is opened. */
import { useSignal } from '@preact/signals'
import type { Run } from '@tidemark/sdk'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { useCommand } from '../data/reading.ts'
import { Fault, Waiting } from '../parts/messages.tsx'
import { RunFrame, useRun } from './run-frame.tsx'

export function Links({ id }: { id: number }) {
  const run = useRun(id)
  const Loaded = useSignal<{ Graph: ComponentType<{ run: Run }> } | null>(null)
  const loading = useCommand(async () => {
    const { LinkGraph } = await import('../graph/graph.tsx')
    Loaded.value = { Graph: LinkGraph }
  })
  useEffect(() => void loading.run(), [])
  const Graph = Loaded.value?.Graph
  const call = { id: 'listLinks', path: { id }, query: { limit: 1000 } } as const
  return (
    <RunFrame {...{ id, run: run.data, current: 'Links', call }}>
      <Waiting reading={run} what="the crawl" />
      <Fault error={loading.error.value} />
      {Graph && run.data && <Graph run={run.data} />}
    </RunFrame>
  )
}
