#!/usr/bin/env python3
"""Learns which definitions a goal means, from what `cargo bench -p lokid-engine --bench definitions` wrote.

usage: learn.py FOLDER TREES [REPOSITORY...]     (needs lightgbm and numpy)

FOLDER holds a `.signs` file a repository (`LOKID_BENCH_SIGNS=FOLDER`, with `LOKID_BENCH_BACK=200`). The repositories that are named
are not learnt from: what is printed was measured on them. TREES is written: `crates/context/src/predict/goal/trees.txt`.
"""
import glob, os, sys
import lightgbm, numpy

SIGNS, TREES, LEAVES, RATE, FEWEST = 24, 150, 16, .1, 200


def read(path):
    rows = numpy.fromfile(path, '<f4').reshape(-1, SIGNS + 3)
    return rows[:, :SIGNS], rows[:, SIGNS], rows[:, SIGNS + 1], rows[:, SIGNS + 2].astype(int)


def goals(one):
    signs, right, of_file, goal = one
    for number in numpy.unique(goal):
        yield numpy.nonzero(goal == number)[0]


def written(model):
    """A line a tree: its forks (sign, value, left, right; below zero a leaf), a bar, its leaves."""
    for tree in model.dump_model()['tree_info']:
        forks, leaves = [], []

        def walk(node):
            if 'leaf_value' in node:
                leaves.append(node['leaf_value'])
                return -len(leaves)
            at = len(forks)
            forks.append(None)
            forks[at] = (node['split_feature'], node['threshold'], walk(node['left_child']), walk(node['right_child']))
            return at

        walk(tree['tree_structure'])
        if forks:
            yield ' '.join('%d %.6g %d %d' % fork for fork in forks) + ' | ' + ' '.join('%.4g' % leaf for leaf in leaves)


def main(folder, place, held):
    all_of = {os.path.basename(path)[:-6]: read(path) for path in sorted(glob.glob(os.path.join(folder, '*.signs'))) if os.path.getsize(path)}
    learnt = [one for name, one in all_of.items() if name not in held]
    data = lightgbm.Dataset(numpy.concatenate([one[0] for one in learnt]), numpy.concatenate([one[1] for one in learnt]))
    how = dict(objective='binary', num_leaves=LEAVES, learning_rate=RATE, min_data_in_leaf=FEWEST, feature_fraction=.8,
               bagging_fraction=.8, bagging_freq=1, seed=1, verbose=-1, num_threads=2, boost_from_average=True)
    model = lightgbm.train(how, data, TREES)
    with open(place, 'w') as file:
        file.write('# A tree a line: forks (which sign, up to which value to the left, left, right; below zero a leaf), a bar, leaves.\n')
        file.write(f'# Learnt from {len(learnt)} repositories by tools/goals/learn.py.\n')
        file.writelines(line + '\n' for line in written(model))
    figures, sure, inside = [], [], []
    for name in held:
        if name not in all_of:
            continue
        one = all_of[name]
        chance = model.predict(one[0])
        for at in goals(one):
            order, words = at[numpy.argsort(-chance[at])], at[numpy.argsort(-one[0][at, 0])]
            figures.append([one[1][words[0]], one[1][words[:3]].any(), one[1][order[0]], one[1][order[:3]].any(), one[2][words[0]], one[2][order[0]]])
            sure.append((1 - numpy.prod(1 - chance[order[:3]]), one[1][order[:3]].any(), one[1][order[0]], one[2][order[0]]))
            # Whoever has one of the files open that were changed.
            there = order[one[2][order] > 0]
            if len(there) > 4:
                given = 1 - numpy.prod(1 - chance[there])
                told = chance[there[:2]] / given
                inside.append((1 - numpy.prod(1 - numpy.minimum(told, .99)), one[1][there[:2]].any(), one[1][there[0]]))
    print(len(figures), 'goals; words@1 %.3f @3 %.3f, lokid@1 %.3f @3 %.3f; file of the first: words %.3f, lokid %.3f' % tuple(numpy.mean(figures, 0)))
    for what, rows in (('anywhere', sure), ('in a file at hand', inside)):
        rows = numpy.array(sorted(rows, reverse=True), float)
        print(what, len(rows))
        for tenth in range(1, 11):
            part = rows[:max(1, len(rows) * tenth // 10)]
            print('  %3d %%  from %.2f  %s' % (tenth * 10, part[-1, 0], ' '.join('%.3f' % share for share in part[:, 1:].mean(0))))
    used = sorted(zip(model.feature_importance('gain'), range(SIGNS)), reverse=True)
    print('signs by what they tell:', ' '.join('%d:%.3f' % (sign, gain / sum(one for one, _ in used)) for gain, sign in used))


if __name__ == '__main__':
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
