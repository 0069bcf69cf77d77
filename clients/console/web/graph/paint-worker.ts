/** A worker that paints pictures of a graph, so that the screen never waits for 15,000 lines. */
import { type Look, paint, type Transform } from './paint.ts'

/** `look` replaces the previous look. Sizes are in CSS pixels; `ratio` is the number of screen pixels per CSS pixel. */
export type PaintOrder = { look?: Look; transform: Transform; width: number; height: number; ratio: number }
export type Painted = { bitmap: ImageBitmap; transform: Transform }

const port = self as unknown as {
  postMessage: (news: Painted, moved: Transferable[]) => void
  onmessage: (event: { data: PaintOrder }) => void
}

const canvas = new OffscreenCanvas(1, 1)
let last: Look | null = null

port.onmessage = ({ data: { look, transform, width, height, ratio } }) => {
  last = look ?? last
  const context = canvas.getContext('2d')
  if (last === null || context === null) return
  canvas.width = Math.max(1, width * ratio)
  canvas.height = Math.max(1, height * ratio)
  paint(context, last, transform, ratio)
  const bitmap = canvas.transferToImageBitmap()
  port.postMessage({ bitmap, transform }, [bitmap])
}
