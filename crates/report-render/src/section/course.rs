//! What was under way when: the whole run, and requests one by one.

use metrics_core::{LoadColumn, LoadCourse, LoadStep, Micros, StepKind};

use crate::{
    chart::{Across, Chart, Panel, Panels, Plot, Series, Step, Times},
    document::{Block, legible},
    language::Language,
    material::Material,
    number,
    section::{
        over_time::{Unit, highest_in_words},
        request_timeline,
    },
};

pub(crate) fn heading(l: Language) -> &'static str {
    l.say("Course of the run", "运行过程")
}

pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    let Some(course) = &m.requests.course else {
        return vec![Block::Paragraph(l.say("No request was begun.", "没有发起任何请求。").into())];
    };
    let mut blocks = vec![Block::Chart(chart(course, l))];
    blocks.extend(request_timeline::blocks(m, l));
    blocks
}

fn chart(course: &LoadCourse, l: Language) -> Chart {
    let column_s = course.column_s.get();
    let columns = course.columns.len();
    let unit = Unit::of(column_s * columns as f64);
    let series = |name: &str, value: &dyn Fn(&LoadColumn) -> f64| Series {
        name: name.to_owned(),
        values: course.columns.iter().map(|column| Some(value(column))).collect(),
    };
    let a_second = |count: u64| count as f64 / column_s;
    let panels = vec![
        Panel {
            title: l.say("Requests in flight", "在途请求数").to_owned(),
            unit: l.say("requests", "个"),
            reach: 1.0,
            series: vec![
                series(l.say("sent, not over", "已发送、未结束"), &|column| column.in_flight),
                series(l.say("due, not sent", "应发、未发送"), &|column| column.waiting),
            ],
            limits: Vec::new(),
        },
        Panel {
            title: l.say("Requests that ended", "请求结束速率").to_owned(),
            unit: "req/s",
            reach: 0.0,
            series: vec![
                series(l.say("effective", "有效"), &|column| a_second(column.effective)),
                series(l.say("not effective", "未成功"), &|column| a_second(column.unsuccessful)),
            ],
            limits: Vec::new(),
        },
        Panel {
            title: l.say("Output tokens that arrived", "输出 Token 到达速率").to_owned(),
            unit: "tok/s",
            reach: 0.0,
            series: vec![series(l.say("of effective requests", "有效请求"), &|column| {
                column.output_tokens / column_s
            })],
            limits: Vec::new(),
        },
    ];
    let times = Times {
        columns,
        until: column_s * columns as f64 / unit.seconds,
        unit: unit.name(l),
        steps: course.steps.iter().map(|step| named(step, unit, l)).collect(),
    };
    Chart {
        stem: "load",
        title: l.say("Load and output over the run", "全程负载与产出").to_owned(),
        description: highest_in_words(&times, &panels, l),
        caption: caption(course, l).into(),
        plot: Plot::Panels(Panels {
            axis: unit.axis(l),
            across: Across::Times(times),
            guides: Vec::new(),
            panels,
        }),
    }
}

fn named(step: &LoadStep, unit: Unit, l: Language) -> Step {
    let label = match (step.kind, step.tier) {
        (StepKind::WarmUp, _) => l.say("warm-up", "预热").to_owned(),
        (StepKind::Control, _) => l.say("control", "对照").to_owned(),
        (StepKind::Measured, Some(tier)) => number::tier(tier),
        (StepKind::Measured, None) => legible(&step.stage),
    };
    let seconds = |instant: Micros| instant.as_secs_f64() / unit.seconds;
    Step { label, from: seconds(step.from), until: seconds(step.until) }
}

fn caption(course: &LoadCourse, l: Language) -> String {
    let column = number::plain(course.column_s.get());
    let mut words = l.say(
        format!("From the raw rows of every stage, warm-up and controls included, in columns of {column} s. Requests in flight are averages over a column; rates are what ended or arrived in a column, divided by its length, so that the last column, which the run did not fill, shows too little of everything. Tokens count when they arrived. Bars below the axis name what was under way."),
        format!("由各阶段的原始记录得出（含预热与对照），每 {column} 秒为一格。在途请求数为格内平均；速率为格内结束的请求或到达的 Token 除以格长，末格未满，各值偏低。Token 按到达时刻计入。横轴下方的横条标明当时执行的档位。"),
    );
    if course.without_instants > 0 {
        let count = course.without_instants;
        words += &l.say(
            format!(
                " The rows of {} do not tell when tokens came; those tokens are in no column.",
                number::plural(count, "effective request")
            ),
            format!("另有 {count} 个有效请求的记录不含 Token 到达时刻，其 Token 未计入。"),
        );
    }
    words
}
