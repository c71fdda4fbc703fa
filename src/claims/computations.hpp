#pragma once
// One function a claim: the figures its statement is judged by, and those that tell when it stops being true.
// The words, the speaker's numbers and the expectations are in catalog/claim/<id>.toml.

#include <vector>

#include "claims/inputs.hpp"

namespace ridge {

// the catalog's entries that stand for what the lecture speaks of
inline constexpr const char* kModel = "deepseek-v3";
inline constexpr const char* kDense = "llama-3-70b";
inline constexpr const char* kHopper = "hgx-h100";
inline constexpr const char* kBlackwell = "gb200-nvl72";

inline Experts experts_of(const Model& model) { return model.experts() == nullptr ? Experts{} : *model.experts(); }

// roofline.cpp: the step, the ridge of a chip, the floor
std::vector<Figure> c01(Inputs& in);
std::vector<Figure> c02(Inputs& in);
std::vector<Figure> c03(Inputs& in);
std::vector<Figure> c10(Inputs& in);

// batch.cpp: how many sequences, and what they wait
std::vector<Figure> c04(Inputs& in);
std::vector<Figure> c06(Inputs& in);
std::vector<Figure> c07(Inputs& in);
std::vector<Figure> c09(Inputs& in);
std::vector<Figure> c11(Inputs& in);
std::vector<Figure> c13(Inputs& in);
std::vector<Figure> c14(Inputs& in);

// context.cpp: what a longer context does
std::vector<Figure> c08(Inputs& in);
std::vector<Figure> c16(Inputs& in);
std::vector<Figure> c17(Inputs& in);
std::vector<Figure> c53(Inputs& in);
std::vector<Figure> c54(Inputs& in);

// sparsity.cpp: experts
std::vector<Figure> c05(Inputs& in);
std::vector<Figure> c19(Inputs& in);
std::vector<Figure> c20(Inputs& in);

// machines.cpp: memory, domains, networks
std::vector<Figure> c12(Inputs& in);
std::vector<Figure> c22(Inputs& in);
std::vector<Figure> c27(Inputs& in);
std::vector<Figure> c28(Inputs& in);
std::vector<Figure> c29(Inputs& in);
std::vector<Figure> c30(Inputs& in);

// racks.cpp: a layer over several racks, a pipeline of them
std::vector<Figure> c21(Inputs& in);
std::vector<Figure> c23(Inputs& in);
std::vector<Figure> c24(Inputs& in);
std::vector<Figure> c25(Inputs& in);
std::vector<Figure> c26(Inputs& in);
std::vector<Figure> c59(Inputs& in);

// sheets.cpp: what price sheets say, and what is behind them
std::vector<Figure> c15(Inputs& in);
std::vector<Figure> c39(Inputs& in);
std::vector<Figure> c40(Inputs& in);
std::vector<Figure> c42(Inputs& in);
std::vector<Figure> c44(Inputs& in);
std::vector<Figure> c51(Inputs& in);

// lifecycle.cpp: training, reinforcement learning, serving
std::vector<Figure> c18(Inputs& in);
std::vector<Figure> c32(Inputs& in);
std::vector<Figure> c33(Inputs& in);
std::vector<Figure> c34(Inputs& in);
std::vector<Figure> c35(Inputs& in);
std::vector<Figure> c36(Inputs& in);
std::vector<Figure> c37(Inputs& in);
std::vector<Figure> c38(Inputs& in);
std::vector<Figure> c60(Inputs& in);
std::vector<Figure> c62(Inputs& in);

// tiers.cpp: where context is kept
std::vector<Figure> c46(Inputs& in);
std::vector<Figure> c47(Inputs& in);
std::vector<Figure> c48(Inputs& in);
std::vector<Figure> c49(Inputs& in);
std::vector<Figure> c50(Inputs& in);
std::vector<Figure> c52(Inputs& in);
// prices.cpp: what price sheets say
std::vector<Figure> c31(Inputs& in);
std::vector<Figure> c41(Inputs& in);
std::vector<Figure> c43(Inputs& in);
std::vector<Figure> c45(Inputs& in);
std::vector<Figure> c61(Inputs& in);

// reversible.cpp: layers that run backwards
std::vector<Figure> c55(Inputs& in);
std::vector<Figure> c56(Inputs& in);
std::vector<Figure> c57(Inputs& in);
std::vector<Figure> c58(Inputs& in);

}  // namespace ridge
