/**
 * The parts of ECharts that charts use. The whole library would be half of a page. A chart that needs another part is drawn without it
 * or not at all; `src/report/samples.soak.test.js` compares this with the whole library.
 */
import { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart } from 'echarts/charts';
import * as components from 'echarts/components';
import { getInstanceByDom, init, use } from 'echarts/core';
import { LabelLayout, LegacyGridContainLabel } from 'echarts/features';
import { SVGRenderer } from 'echarts/renderers';

use([
  BarChart,
  CustomChart,
  HeatmapChart,
  LineChart,
  ScatterChart,
  components.DatasetComponent,
  components.GridComponent,
  components.LegendPlainComponent,
  components.MarkAreaComponent,
  components.MarkLineComponent,
  components.MarkPointComponent,
  components.TitleComponent,
  components.TooltipComponent,
  components.VisualMapPiecewiseComponent,
  LabelLayout,
  LegacyGridContainLabel,
  SVGRenderer,
]);

export { getInstanceByDom, init };
