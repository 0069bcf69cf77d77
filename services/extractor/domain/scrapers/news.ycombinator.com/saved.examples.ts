/** Pages in the shape of Hacker News' lists. */
import type { Saved } from '../saved.examples.ts'

const story = `<tr class="athing submission" id="7000001">
<td align="right" valign="top" class="title"><span class="rank">31.</span></td><td class="votelinks"><a id="up_7000001"></a></td>
<td class="title"><span class="titleline"><a href="https://harbour.test/tides?a=1&amp;b=2">Why the water is high</a>
<span class="sitebit comhead"> (<a href="from?site=harbour.test"><span class="sitestr">harbour.test</span></a>)</span></span></td></tr>
<tr><td colspan="2"></td><td class="subtext"><span class="subline"><span class="score" id="score_7000001">1,204 points</span> by
<a href="user?id=ada" class="hnuser">ada</a> <span class="age" title="2026-01-02T03:04:05 1767323045"><a href="item?id=7000001">3 hours ago</a></span>
<span id="unv_7000001"></span> | <a href="hide?id=7000001">hide</a> | <a href="item?id=7000001">218&nbsp;comments</a></span></td></tr>
<tr class="spacer" style="height:5px"></tr>`

const job = `<tr class='athing' id='7000002'><td class="title"><span class="rank">32.</span></td>
<td class="title"><span class="titleline"><a href="item?id=7000002">Harbour (S26) is hiring</a></span></td></tr>
<tr><td class="subtext"><span class="age" title="yesterday"><a href="item?id=7000002">1 day ago</a></span> | <a href="hide?id=7000002">hide</a></td></tr>`

export const saved: Saved = {
  full: {
    path: 'news',
    params: { p: 2 },
    url: 'https://news.ycombinator.com/news?p=2',
    page: `<html lang="en" op="news"><body><center><table id="hnmain"><tr><td><table>${story}${job}
<tr class="morespace"></tr><tr><td class="title"><a href="?p=3" class="morelink">More</a></td></tr></table></td></tr></table></center></body></html>`,
    data: [
      {
        rank: 31,
        id: 7000001,
        title: 'Why the water is high',
        url: 'https://harbour.test/tides?a=1&b=2',
        site: 'harbour.test',
        points: 1204,
        author: 'ada',
        sent_at: '2026-01-02T03:04:05Z',
        comments: 218,
        comments_url: 'https://news.ycombinator.com/item?id=7000001',
      },
      {
        rank: 32,
        id: 7000002,
        title: 'Harbour (S26) is hiring',
        url: 'https://news.ycombinator.com/item?id=7000002',
        comments_url: 'https://news.ycombinator.com/item?id=7000002',
      },
    ],
  },
  partial: {
    path: null,
    url: 'https://news.ycombinator.com/news',
    page: `<table><tr class=athing id=up><td><span class=titleline><a href=x>No number</a></span></tr>
<tr class=athing id=9><td><span class=titleline><a href="javascript:x">Alone</a></span></table>`,
    data: [{ id: 9, title: 'Alone', comments_url: 'https://news.ycombinator.com/item?id=9' }],
  },
  more: [
    {
      path: 'ask',
      url: 'https://news.ycombinator.com/ask',
      page: `<table><tr class=athing id=8><td><span class=rank>1.</span><td><span class=titleline><a href="item?id=8">Ask: who sails?</a></span></tr>
<tr><td><span class=subline><span class=score>1 point</span> <a class=hnuser>ben</a> | <a>hide</a> | <a href="item?id=8">discuss</a></span></tr></table>`,
      data: [
        {
          rank: 1,
          id: 8,
          title: 'Ask: who sails?',
          url: 'https://news.ycombinator.com/item?id=8',
          points: 1,
          author: 'ben',
          comments: 0,
          comments_url: 'https://news.ycombinator.com/item?id=8',
        },
      ],
    },
  ],
  other: "<html><body>Sorry, we're not able to serve your requests this quickly.</body></html>",
  refused: ['item', 'user', 'newest', 'news/2', 'ｎews', 'news?p=2'],
}
