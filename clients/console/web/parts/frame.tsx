/**
 * Shows a page of any site. The frame is sandboxed: no scripts, no forms, no navigation, an origin of its own; its policy
 * allows one style sheet of ours, and nothing else is loaded.
 */
import { useMemo } from 'preact/hooks'
import { harmless } from '../data/harmless.ts'
import { Panel } from './layout.tsx'

export function Frame({ html, title }: { html: string; title: string }) {
  const text = useMemo(() => harmless(html), [html])
  return (
    <Panel title="Rendered without scripts, images and network" isFlush>
      <iframe class="page-frame" title={title} sandbox="" srcdoc={text} referrerpolicy="no-referrer" />
    </Panel>
  )
}
