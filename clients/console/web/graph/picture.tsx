/** The canvas of the graph with its controls and its legend. The table beside it says the same in words. */
import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { openScreen } from '../data/address.ts'
import { theme } from '../data/theme.ts'
import { counted } from '../data/words.ts'
import type { Links, Node } from './edges.ts'
import { programOf } from './graph-work.ts'
import type { Tones } from './tones.ts'
import { View } from './view.ts'

type Props = {
  nodes: readonly Node[]
  links: Links
  /** x and y of each node in turn; empty until the first picture. */
  xy: ReadonlySignal<Float32Array>
  tones: Tones
  /** The value of each node that determines its area. */
  weights: Float32Array
  found: ReadonlySet<number> | null
  /** A node to bring to the center. Each new object does this once. */
  centered: { node: number } | null
  addressOfNode: (node: Node) => string
}

export function Picture(props: Props) {
  const { nodes, links, tones, addressOfNode } = props
  const chosen = useSignal<number | null>(null)
  const { canvas, legend, view } = useView(props, chosen)
  const pressedAt = useRef({ x: 0, y: 0 })
  const at = ({ offsetX, offsetY }: MouseEvent) => view.current?.nodeAt(offsetX, offsetY) ?? null
  const move = (event: PointerEvent) => {
    if (event.buttons === 0) chosen.value = at(event)
  }
  const press = ({ offsetX: x, offsetY: y }: PointerEvent) => {
    pressedAt.current = { x, y }
  }
  const click = (event: MouseEvent) => {
    const { x, y } = pressedAt.current
    if (Math.hypot(event.offsetX - x, event.offsetY - y) > 4) return
    const node = nodes[at(event) ?? -1]
    if (node !== undefined) openScreen(addressOfNode(node))
  }
  const shown = nodes[chosen.value ?? -1]
  return (
    <div class="graph">
      <div class="graph-frame">
        <canvas
          ref={canvas}
          role="img"
          tabIndex={0}
          aria-label={`${counted(nodes.length, 'page')} with ${counted(links.edges.length / 2, 'link')}. Arrow keys move the picture, plus and minus zoom. The table of pages has the same content.`}
          data-over={shown === undefined ? undefined : ''}
          onPointerDown={press}
          onPointerMove={move}
          onPointerLeave={() => (chosen.value = null)}
          onClick={click}
          onKeyDown={event => view.current && pressKey(event, view.current)}
        />
        <div class="graph-zoom">
          <ZoomButton label="Zoom in" sign="+" onClick={() => view.current?.zoom(zoomStep)} />
          <ZoomButton label="Zoom out" sign="−" onClick={() => view.current?.zoom(1 / zoomStep)} />
          <ZoomButton label="Show all" sign="⤢" onClick={() => view.current?.fit()} />
        </div>
      </div>
      <PageLine page={shown} />
      <ul class="legend" ref={legend} aria-label="Legend">
        {tones.legend.map(({ tone, name, nodes }) => (
          <li key={tone} hidden={nodes === 0}>
            <span class={`swatch ${tone}`} aria-hidden="true" />
            {name} <span class="quiet">{counted(nodes, 'page')}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Opens a view of the canvas, and shows it again when the graph, its look or the theme changes. */
function useView(props: Props, chosen: ReadonlySignal<number | null>) {
  const { links, xy, tones, weights, found, centered } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const legend = useRef<HTMLUListElement>(null)
  const view = useRef<View | null>(null)
  const scheme = useScheme()
  useEffect(() => {
    if (canvas.current) view.current = new View(canvas.current, programOf('paint'))
    return () => view.current?.end()
  }, [])
  useEffect(() => {
    if (canvas.current === null || legend.current === null) return
    const style = getComputedStyle(canvas.current)
    const swatches = [...legend.current.querySelectorAll('.swatch')]
    const look = {
      ...{ edges: links.edges, tones: tones.of, found, chosen: chosen.value },
      radii: radiiOf(weights),
      // A canvas cannot use variables of style sheets, so their values are read here.
      colors: swatches.map(swatch => getComputedStyle(swatch).color),
      lineColor: style.borderBottomColor,
      markColor: style.color,
    }
    return xy.subscribe(positions => {
      if (positions.length > 0) view.current?.show({ ...look, xy: positions })
    })
  }, [xy, links, tones, weights, found, chosen.value, theme.value, scheme])
  useEffect(() => {
    if (centered !== null) view.current?.center(centered.node)
  }, [centered])
  return { canvas, legend, view }
}

const PageLine = ({ page }: { page: Node | undefined }) => (
  <p class="graph-line">
    {page === undefined ? (
      <span class="quiet">Drag to move, scroll or pinch to zoom, click a page to open it.</span>
    ) : (
      <>
        <span class="graph-url">{page.url}</span>{' '}
        <span class="quiet">
          depth {page.depth}, {counted(page.inlinks, 'link')} in
        </span>
      </>
    )}
  </p>
)

const ZoomButton = ({ label, sign, onClick }: { label: string; sign: string; onClick: () => void }) => (
  <button type="button" aria-label={label} title={label} onClick={onClick}>
    {sign}
  </button>
)

/** Pixels of one press of an arrow key. */
const keyStep = 60
const zoomStep = 1.4

const keys: Record<string, (view: View) => void> = {
  ArrowLeft: view => view.pan(keyStep, 0),
  ArrowRight: view => view.pan(-keyStep, 0),
  ArrowUp: view => view.pan(0, keyStep),
  ArrowDown: view => view.pan(0, -keyStep),
  '+': view => view.zoom(zoomStep),
  '=': view => view.zoom(zoomStep),
  '-': view => view.zoom(1 / zoomStep),
  '0': view => view.fit(),
}

function pressKey(event: KeyboardEvent, view: View): void {
  const work = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key]
  if (work === undefined) return
  event.preventDefault()
  work(view)
}

/** The area of a node grows with its measure. Large graphs have smaller nodes. */
function radiiOf(weights: Float32Array): Float32Array {
  const top = weights.reduce((most, weight) => Math.max(most, weight), 0) || 1
  const [least, most] = weights.length > 1500 ? [1.4, 9] : weights.length > 200 ? [2.5, 11] : [4, 14]
  return weights.map(weight => least + (most - least) * Math.sqrt(weight / top))
}

/** Returns whether the system uses a dark theme. The component renders again when that changes. */
function useScheme(): boolean {
  const isDark = useSignal(matchMedia('(prefers-color-scheme: dark)').matches)
  useEffect(() => {
    const list = matchMedia('(prefers-color-scheme: dark)')
    const follow = () => (isDark.value = list.matches)
    list.addEventListener('change', follow)
    return () => list.removeEventListener('change', follow)
  }, [])
  return isDark.value
}
